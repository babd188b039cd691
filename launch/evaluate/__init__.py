"""`groundwatch evaluate`: how well scores agree with what people said of the same answers."""
