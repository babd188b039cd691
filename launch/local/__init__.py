"""Run an archive on one machine, in segments that are committed one by one."""
