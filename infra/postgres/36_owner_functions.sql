-- A function with its owner's rights looks into temporary tables last: otherwise a caller's own table by the name of ours would answer.
alter function card_stands_in(text, text) set search_path = pg_catalog, public, pg_temp;
alter function names_changed() set search_path = pg_catalog, public, pg_temp;
