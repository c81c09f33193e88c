import { Environment, ProjectName, ServerName } from '@signalbox/contracts/conversation/fields';

/*
 * Arguments that may be left out. `what`: what they do when they are given, and what is meant without them. `ask`: the question for one.
 */

export const someProject = (what: string) =>
  ProjectName.optional().describe(what).meta({ entity: 'project', ask: 'Of which project?' });

export const someServer = (what: string, ask: string) =>
  ServerName.optional().describe(what).meta({ entity: 'server', ask });

export const someEnvironment = (what: string, ask: string) =>
  Environment.optional().describe(what).meta({ entity: 'environment', ask });
