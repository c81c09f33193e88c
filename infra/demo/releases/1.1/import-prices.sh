#!/bin/sh
# Brings in the prices of the day. supplier.env says from whom.
set -e
. ./supplier.env
curl -fsS -u "shop:$SUPPLIER_PASSWORD" "$SUPPLIER_URL/prices.json" -o prices.json
