"""Receive messages by HTTP, and keep them until their outcome is durable."""
