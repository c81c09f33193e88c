/** Sentences of errors about what a person had scheduled, frozen or remembered. */
export const PERSONAL_ERRORS = {
  SCHEDULE_TIME:
    'I do not understand when “{when}” is, so nothing was scheduled. Say it like “every weekday at 9”, “tomorrow at 8” or “in 2 hours”, as a local time like 2026-11-29T08:00, or as a cron pattern.',
  SCHEDULE_ZONE: 'There is no time zone {zone}. Zones have names like Europe/Berlin or America/Bogota.',
  SCHEDULE_OVER: 'There is no time to come in “{when}”, so nothing was scheduled.',
  SCHEDULE_OFTEN: 'Nothing was scheduled: there have to be at least {minutes} minutes between two runs.',
  SCHEDULES_FULL: 'You have {limit} schedules, and no more than that. /schedules shows them; remove one first.',
  SCHEDULE_PEOPLE: 'Only people may schedule something, and this account is one of a program.',
  SCHEDULE_WORDS:
    'Nothing was scheduled: “{task}” is not in the person’s own words. The task has to be a piece of one message that they typed here, word for word.',
  SCHEDULE_UNKNOWN: 'You have no schedule {id}. /schedules shows yours.',
  FREEZE_OF_ALL:
    'A freeze holds for all projects, not for {project} alone, so nothing was changed. Say “freeze all changes” or “lift the freeze” if you mean all.',
  FREEZE_END:
    'I do not understand until when “{until}” is, so nothing was frozen. Say a day and an hour that are still to come, such as “freeze all changes until Monday at 9:00”.',
  FACT_UNKNOWN: 'I remember nothing such as “{words}”. {known}',
  SEVERAL_FACTS: 'Several facts are like that: {facts}. Name one by its number.',
} as const;
