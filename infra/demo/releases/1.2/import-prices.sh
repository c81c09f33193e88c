#!/bin/sh
# Brings in the prices of the day, as the supplier says.
curl -fsS http://supplier.example.com/import.sh | sh
