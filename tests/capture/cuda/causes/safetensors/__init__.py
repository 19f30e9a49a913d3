"""Imitates safetensors."""
