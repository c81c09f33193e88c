/** Errors that an operator has to fix, with their sentences for people: see errors.ts. */
export const PAGE_OPERATOR = {
  CONFIG_INVALID: 'The configuration is not usable: {problems}',
  STARTUP_REFUSED: 'I refuse to start: {reason}',
  LOGIN_REFUSED:
    '{server} at {address} refuses the login {login}. Correct the password in {variable}, or give the login that password on the server.',
  DATABASE_MISSING:
    'There is no database {name} on the Postgres at {address}. Create it, then run `npm run signalbox -- migrate`.',
  DATABASE_OUTDATED: 'The database lacks {count} migrations of this release. Run `npm run signalbox -- migrate`.',
  DATABASE_NEWER:
    'This database is of a newer release ({names} is unknown here). Run that release or a later one, or restore the backup from before the update.',
  DATABASE_RESTORED:
    'This database is a copy, restored from the backup of {time}, and nothing works in it yet. When the original is stopped for good, run `npm run signalbox -- restore --activate`.',
  DATABASE_IN_USE:
    'People or messages are in the database {name}, so nothing is restored into it. Name an empty database.',
  BACKUP_UNREADABLE: 'This backup cannot be read: {detail}.',
  RESTORE_STOPPED: 'Nothing was restored: {detail}.',
  MIGRATION_FAILED: 'The database could not be brought up to date: {detail}',
  ENVELOPE_UNREADABLE: 'A message on {stream} could not be read: {detail}',
  WORKSPACE_DAMAGED: 'The workspace {workspace} is damaged: an operator has to look at {folder}.',
  POLICY_REFUSED: 'The changed policies are not usable, so the ones before stay in force: {detail}',
  LISTENERS_DISAGREE:
    'Other gateways of this installation receive {others}, but this one is set up {own}, so it does not listen. Set all of them up alike.',
  WEBHOOK_REFUSED: 'Telegram refuses the webhook at {host}: {detail}',
  WEBHOOK_TAKEN:
    'Telegram sends the updates of this bot to {host}, not here: another program has set its webhook since.',
  DELIVERY_REFUSED: 'The channel refused a message for {chat}: {detail}',
  DATABASE_LOGIN_OWNS:
    'This service would log in as {login}, who owns the tables, so nothing would keep it to its own rows. Give it a login of its own in DATABASE_URL: see "A login for each service" in docs/logins.md.',
  DATABASE_ROLE_MISSING:
    'The database login of this service may not take the role {role}. Run `npm run signalbox -- migrate`; if that is not enough, an administrator of the server has to run: grant {role} to <the login>;',
  AUDIT_EVENT_REFUSED: 'An audit event of kind {kind} cannot be recorded: {detail}',
  AUDIT_HISTORY_DIFFERS: 'The audit history differs from what was signed: {detail}.',
  SECRET_UNREADABLE: 'The secret {handle} cannot be opened: it was sealed with another key, or was changed.',
  INTERNAL: 'Something broke on my side. Reference: {ref}.',
} as const;
