import type { CatalogGroup } from '@signalbox/contracts/tool-catalog';

const ENGINEERING = {
  name: 'engineering',
  describe: 'Have code written and reviewed',
  hints: [
    'implement a login page',
    'fix the bug in checkout',
    'show the latest pull request',
    'write the code for the feature',
  ],
  schema: { type: 'object', properties: {} },
};

/** Groups of the product that have no file in capabilities/: they are named as not installed when somebody needs one. */
export const KNOWN_GROUPS: readonly CatalogGroup[] = [
  { name: ENGINEERING.name, summary: ENGINEERING.describe, installed: false, tools: [ENGINEERING] },
];
