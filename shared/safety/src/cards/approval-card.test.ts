import { expect, it } from 'vitest';
import type { Approval } from '@signalbox/contracts/governance/approval';
import { renderExactAction } from './canonical-card.ts';
import { renderCard } from './approval-card.ts';
import { listEssentialValues } from './essential.ts';

const repository = 'https://github.com/a-team-of-ours/the-shop-of-ours.git';
const action = {
  arguments: { environment: 'production', project: 'shop', version: '1.4.2' },
  resolved: {
    head: { author: 'Tea Shop', subject: 'Open the shop' },
    ref: '1.4.2',
    repository,
    server: { name: 'local' },
  },
};
const told = ['environment', 'project', 'version', '→ head', '→ ref', '→ repository', '→ server'];
const card: Approval['card'] = {
  what: 'Deploy shop 1.4.2 to production',
  change: '1.4.1 → 1.4.2: “Open the shop” by Tea Shop',
  exact: renderExactAction({ tool: 'trigger_deploy', ...action }),
  essential: [...listEssentialValues(action, { told, derived: [] })],
  reach: `its users, on the server local; code from ${repository}`,
  risk: 'It changes what serves people in production.',
  undo: 'roll back to 1.4.1',
  why: 'Dangerous actions in production need the approval of two operators. (rule `production-asks-two`)',
  words: 'deploy shop 1.4.2 to production',
  requester: 'Ben (developer, id 1002)',
  changedFrom: null,
};
const times = { requestedAt: new Date(0), expiresAt: new Date(3_600_000) };
const request = {
  approvalId: 'apv_1',
  hash: '0'.repeat(64),
  needed: 2,
  role: 'operator',
  ...times,
  status: 'pending',
  card,
};

it('a card of a deployment shows code, risk and undo in sentences, and no codes before them', () => {
  const { text } = renderCard(request as Approval, [], 'approver');
  expect(text).not.toContain('```');
  for (const whole of [card.reach, card.undo, 'Needs approval by 2 people'])
    expect(text.replaceAll('\\', '')).toContain(whole);
});

it('a sentence of a card is never cut to a piece of a word', () => {
  const { text } = renderCard(request as Approval, [], 'approver');
  expect(text).not.toMatch(/^- \S{1,11}…/m);
});
