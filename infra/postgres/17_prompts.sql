-- The open prompts of a person: looked for with every message that may be the answer to one.
create index approval_prompts_open on approval_prompts (user_key, made_at) where used_at is null;
