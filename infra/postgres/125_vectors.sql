-- Vectors of passages, by which a search finds what is said in other words. The column `embedding` of both tables is added by `migrate` as
-- soon as the server has the extension `vector`, because a migration must run on a server without it: see vector-columns.ts.
create table code_vectors (
  passage_id bigint not null references code_passages on delete cascade,
  model      text not null,             -- EMBEDDINGS_MODEL, by which the vector was made
  dims       int not null,              -- 0 when the endpoint refuses the text
  primary key (passage_id) include (model, dims)
);

create table manual_vectors (
  passage_id bigint not null references knowledge on delete cascade,
  model      text not null,
  dims       int not null,
  primary key (passage_id) include (model, dims)
);
