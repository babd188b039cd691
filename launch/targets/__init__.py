"""Send rows over HTTP to tools and channels, one `Target` each."""
