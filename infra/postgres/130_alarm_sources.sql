-- Sources of alarms stand here as soon as a gateway knows them, so that people see which of them were never heard.
alter table alarm_sources
  add column kind text,
  alter column heard_at drop not null,
  alter column heard_at drop default;
