"""Pure decisions: no Beam, no network, no clock, no environment."""
