import type { PlannerCatalog } from './catalog.ts';
import { heard, rehearse, type Rehearsal } from './rehearsal.ts';
import { factsOf, historyOf, type Story } from './story.ts';

/** What the planner would do about a text, after a story. Does nothing; never throws for what a person can write. */
export function explain(catalog: PlannerCatalog, text: string, story: Story): Rehearsal {
  const history = [...historyOf(story, catalog), heard('asked', text)];
  return rehearse({ history, catalog, facts: factsOf(story, catalog) });
}
