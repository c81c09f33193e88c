import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { type Rehearsal, heard, rehearse } from './rehearsal.ts';
import { type Story, factsOf, historyOf } from './story.ts';

/** What the planner would do about a text, after a story. Does nothing; never throws for what a person can write. */
export function explain(catalog: ToolCatalog, text: string, story: Story): Rehearsal {
  const history = [...historyOf(story, catalog), heard('asked', text)];
  return rehearse({ history, catalog, facts: factsOf(story, catalog) });
}
