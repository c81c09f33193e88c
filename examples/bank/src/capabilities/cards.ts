import { toolGroup } from '@signalbox/worker/tools/tool';
import { freezeCard, requestReplacement, unfreezeCard } from './cards/changes.ts';
import { reportFraud, raiseCardRisk } from './cards/fraud.ts';
import { findBranches, listCards, listCardTransactions } from './cards/lookups.ts';
import { checkStepUpCode, escalateToOperator, sendStepUpCode } from './cards/step-up.ts';

export default toolGroup({
  name: 'cards',
  owner: 'lost_card',
  summary: 'Look after one’s own payment cards: freeze, unfreeze and replace them, and report fraud.',
  uses: ['cards'],
  tools: {
    list_cards: listCards,
    list_card_transactions: listCardTransactions,
    freeze_card: freezeCard,
    unfreeze_card: unfreezeCard,
    request_replacement: requestReplacement,
    raise_card_risk: raiseCardRisk,
    report_fraud: reportFraud,
    send_step_up_code: sendStepUpCode,
    check_step_up_code: checkStepUpCode,
    escalate_to_operator: escalateToOperator,
    find_branches: findBranches,
  },
});
