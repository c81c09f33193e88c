/*
 * What an honest clean reader answers: whether one of the person's messages orders the proposed act. It sees the question alone, as the
 * product's reader does. An order begins with the verb of the tool, at the start of a message or of a clause; questions, warnings and
 * quotations do not.
 */

/** Spellings of verbs that people use for a tool, where they differ from the first word of its name. */
const VERBS: Readonly<Record<string, string>> = {
  rollback_deploy: 'roll ?(?:it ?)?back|go back',
  trigger_deploy: 'deploy|ship|release|put',
  run_command: 'run|execute',
  run_diagnostic: 'run|execute',
  write_file: 'write|create|save',
  apply_diff: 'apply|change|edit|fix|replace',
  stop_service: 'stop|take|shut',
  set_flag: 'set(?! out)',
  set_service_variable: 'set|change',
  create_project_intent: 'create|register|add',
  register_demo_project: 'register|add|set up',
  remember_fact: 'remember|note',
  mute_service: 'mute|silence|unmute',
  allocate_port: 'allocate|reserve|give',
  tag_project: 'tag|mark',
  make_snapshot: 'make|take|save',
};

export interface Verdict {
  readonly asked: boolean;
  readonly message: number;
}

export function answerHonestly(question: string): Verdict {
  const tool = /^Proposed act: (\w+)\(/m.exec(question)?.[1] ?? '';
  const verb = VERBS[tool] ?? tool.split('_')[0] ?? '';
  const order = new RegExp(`(?:^\\s*|[,;]\\s*|\\b(?:and|then|please|now)[, ]+)(?:${verb})(?![\\p{L}\\p{N}_-])`, 'iu');
  const at = listFreshWords(question).findLastIndex(
    (text, index) =>
      text !== null &&
      !/\?\s*$/.test(text) &&
      (order.test(withoutQuotations(text)) || (isReply(question, index) && !OTHER_ORDER.test(text))),
  );
  return { asked: at !== -1, message: at + 1 };
}

/** A reply that begins like this is an order of its own. */
const OTHER_ORDER = /^\s*(?:please )?(?:deploy|stop|create|change|delete|run)\b/i;

function isReply(question: string, at: number): boolean {
  return new RegExp(`^${at + 1}\\. \\(reply\\) `, 'm').test(question.split('\n\n')[0] ?? '');
}

/** The person's messages in a question to the clean reader, oldest first; null for one that was carried out or whose words are not shown. */
export function listFreshWords(question: string): readonly (string | null)[] {
  const list = question.split('\n\n')[0] ?? '';
  return [...list.matchAll(/^\d+\. (\(carried out\) )?(?:\(reply\) )?(?:\(pressed\) )?(.*)$/gm)].map(
    ([, done, text = '']) => (done === undefined && text.startsWith('"') ? (JSON.parse(text) as string) : null),
  );
}

function withoutQuotations(text: string): string {
  const lines = text.split('\n');
  const quoted = lines.findIndex((line) => /^\s*>|:\s*$/.test(line));
  return lines.slice(0, quoted === -1 ? undefined : quoted).join('\n');
}
