"""The grounding check: its protocol (pure), its client (the only socket), the local checker."""
