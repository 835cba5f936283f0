"""Slumbot's public web service as an opponent (unofficial: nobody promises that its protocol stays as it is)."""
