import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judgeQuestion, VERDICTS, type Verdict } from './planner/questions.ts';
import { story } from './planner/strangers.ts';

/*
 * Forty questions of people on call, written by somebody who had not seen the code, without a model. The words of the planner were looked
 * over with those at even places; the others are shown nowhere. This prints the figures:
 *   npm test -- --project unit tests/contracts/planner-strangers-questions.test.ts
 */

const Question = z.object({
  id: z.string(),
  lang: z.string(),
  text: z.string(),
  wants: z.string(),
  changes: z.boolean(),
});
const questions = Question.array().parse(
  JSON.parse(readFileSync(new URL('./planner/strangers-questions.json', import.meta.url), 'utf8')),
);

type Expected = readonly [tools: string, args?: Readonly<Record<string, string | number>>];
const PRODUCTION = { project: 'shop', environment: 'production' };
/** The tools whose results hold a right answer, from what the author wants of it. None: no tool does it, so that nothing is right. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'en-1': ['diagnose_service check_service_health', PRODUCTION],
  'en-2': ['get_deploy_status list_deployments check_deploy_readiness compare_releases', { project: 'shop' }],
  'en-3': ['list_incidents'],
  'en-4': ['rollback_deploy', PRODUCTION],
  'en-5': ['restart_service'],
  'en-6': ['what_changed check_service_health list_deployments', { project: 'blog' }],
  'en-7': ['mute_service'],
  'en-8': ['trigger_deploy what_changed', { project: 'billing' }], // the freeze stops it, and its sentence names who froze
  'de-1': ['list_deployments what_changed get_deploy_status diagnose_service', { project: 'shop' }],
  'de-2': ['get_error_history', { project: 'todo' }],
  'de-3': ['mute_service', { project: 'shop', hours: 1 }],
  'de-4': ['search_knowledge'],
  'de-5': ['restart_service'],
  'de-6': ['list_incidents'],
  'de-7': ['check_service_health is_anything_wrong'],
  'de-8': ['create_schedule'],
  'es-1': ['what_changed diagnose_service list_deployments check_service_health', { project: 'shop' }],
  'es-2': ['what_changed'],
  'es-3': ['restart_service', { environment: 'staging' }],
  'es-4': ['rollback_deploy', { project: 'shop' }],
  'es-5': ['get_error_history', { project: 'todo' }],
  'es-6': ['search_knowledge what_changed'],
  'es-7': [''],
  'es-8': ['who_is_on_call'],
  'ru-1': ['diagnose_service check_service_health what_changed', { project: 'shop' }],
  'ru-2': ['get_deploy_status list_deployments what_changed'],
  'ru-3': ['mute_service', { ...PRODUCTION, hours: 2 }],
  'ru-4': ['list_incidents'],
  'ru-5': [''],
  'ru-6': ['get_service_logs get_error_history', { project: 'todo' }],
  'ru-7': ['check_service_health get_project_status list_projects'],
  'ru-8': ['diagnose_service what_changed list_deployments', { project: 'shop' }],
  'zh-1': ['diagnose_service list_deployments get_deploy_status check_service_health', { project: 'shop' }],
  'zh-2': ['get_service_logs', { project: 'shop' }],
  'zh-3': ['rollback_deploy', { ...PRODUCTION, to_version: '1.4.0' }],
  'zh-4': ['get_error_history list_deployments what_changed diagnose_service'],
  'zh-5': ['list_incidents'],
  'zh-6': [''],
  'zh-7': ['is_anything_wrong list_incidents'],
  'zh-8': ['search_knowledge'],
};

const judged = questions.map(({ id, text, changes }, place) => {
  const [names = '', args = {}] = EXPECTED[id] ?? [];
  const wanted = { tools: names.split(' '), args, mayChange: changes };
  return { verdict: judgeQuestion(text, story, wanted), half: place % 2 === 0 ? 'shown' : 'blind' };
});
const countOf = (verdict: Verdict, half?: string): number =>
  judged.filter((one) => one.verdict === verdict && (half === undefined || one.half === half)).length;
console.table(
  Object.fromEntries(
    ['shown', 'blind'].map((half) => [half, Object.fromEntries(VERDICTS.map((one) => [one, countOf(one, half)]))]),
  ),
);

describe('forty questions by somebody who had not seen the code, without a model', () => {
  it('never change anything that was not asked for', () => {
    expect([judged.length, Object.keys(EXPECTED).length, countOf('changes')]).toEqual([40, 40, 0]);
  });

  it('are answered right or asked about well in six of ten cases', () => {
    expect(countOf('right') + countOf('asked well')).toBeGreaterThanOrEqual(24);
  });

  it('are answered wrong in at most one of twenty cases', () => {
    expect(countOf('wrong')).toBeLessThanOrEqual(2);
  });
});
