import { joinPatterns } from '../../any-of.ts';
import type { Problem } from '../../problem.ts';
import { findLineProblems, createProblemAt, type LineRule } from './lines.ts';

const WORKFLOW = /(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/;

/** Workflow expressions whose value a stranger controls, such as titles, bodies and branch names. */
const WRITTEN_BY_OTHERS = joinPatterns(
  /\$\{\{[^}]{0,120}\bgithub\.(?:head_ref|event\.issue\.(?:title|body))\b[^}]{0,120}\}\}/,
  /\$\{\{[^}]{0,120}\bgithub\.event\.pull_request\.(?:title|body|head\.(?:ref|label))\b[^}]{0,120}\}\}/,
  /\$\{\{[^}]{0,120}\bgithub\.event\.(?:(?:comment|review|review_comment)\.body|discussion\.(?:title|body))\b[^}]{0,120}\}\}/,
  /\$\{\{[^}]{0,120}\bgithub\.event\.head_commit\.(?:message|author\.(?:email|name))\b[^}]{0,120}\}\}/,
  /\$\{\{[^}]{0,120}\bgithub\.event\.workflow_run\.(?:head_branch|head_commit\.message)\b[^}]{0,120}\}\}/,
);
/** Workflow events that run with write access on input from strangers. */
const WITH_RIGHTS =
  /^[^\n\r#]{0,200}\b(?:pull_request_target|issues|issue_comment|discussion|discussion_comment|workflow_run)\b/m;

const INJECTION: LineRule = { rule: 'script-injection', severity: 'medium', pattern: WRITTEN_BY_OTHERS };
const HEAD_CHECKOUT: LineRule = {
  rule: 'stranger-checkout',
  severity: 'high',
  pattern:
    /^\s{0,60}ref:[^\n]{0,80}\$\{\{[^}]{0,80}github\.(?:event\.pull_request\.head\.|head_ref)|^\s{0,60}ref:[^\n]{0,40}refs\/pull\//m,
};
const RULES: readonly LineRule[] = [
  { rule: 'write-all', severity: 'medium', pattern: /^\s{0,60}permissions:\s{0,4}["']?write-all\b/m },
  {
    rule: 'secret-printed',
    severity: 'medium',
    pattern: /\becho\b[^|>\n]{0,200}\$\{\{\s{0,4}secrets\.[^|>\n]{0,200}$/m,
  },
  {
    rule: 'action-unpinned',
    severity: 'info',
    // Matches third-party actions with a tag, which can be moved to another commit.
    pattern:
      /^[\s-]{0,60}uses:\s{0,4}["']?(?!actions\/|github\/|\.)[\w-]{1,60}\/[\w./-]{1,120}@(?![0-9a-f]{40})[\w./-]{1,80}/m,
  },
];

/** Finds risks in GitHub workflows. Reads line by line, because expressions break YAML parsers. */
export function findWorkflowRisks(path: string, text: string): readonly Problem[] {
  if (!WORKFLOW.test(path)) return [];
  const isTarget = /\bpull_request_target\b/.test(text);
  return [
    ...findLineProblems(text, isTarget ? [HEAD_CHECKOUT, ...RULES] : RULES),
    ...findInjections(text, WITH_RIGHTS.test(text.split(/^jobs:/m)[0] ?? '')),
  ];
}

/** Finds expressions that a stranger controls inside scripts; passed as environment variables they are harmless. */
function findInjections(text: string, withRights: boolean): readonly Problem[] {
  if (!text.includes('github.')) return [];
  const problems: Problem[] = [];
  let scriptIndent = -1;
  for (const [index, line] of text.split('\n').entries()) {
    const indent = /^[ ]*/.exec(line)?.[0].length ?? 0;
    const begins = /^[ ]{0,60}(?:-[ ]{1,4})?(run|script):[ ]{0,4}(\S[^\n]{0,2000})?/.exec(line.slice(0, 2_100));
    if (line.trim() !== '' && indent <= scriptIndent) scriptIndent = -1;
    if (begins) scriptIndent = line.indexOf(begins[1] ?? '');
    if (scriptIndent < 0 || line.length > 2_000 || !WRITTEN_BY_OTHERS.test(line)) continue;
    problems.push(createProblemAt({ ...INJECTION, severity: withRights ? 'high' : 'medium' }, line, index + 1));
  }
  return problems;
}
