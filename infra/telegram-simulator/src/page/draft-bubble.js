import { element, icon } from './element.js';
import { renderBlocks } from './rich-blocks.js';
import { renderText } from './rich-text.js';

/**
 * Draws what the bot is writing. It stands exactly where the message will stand, and Stop is beside it, so that nothing
 * moves when the message takes its place.
 */
export function renderDraft(draft, { isSending = false } = {}) {
  const { draftId, text, entities, rich, canStop } = draft;
  return element(
    'article',
    {
      class: 'message other starts draft',
      'aria-label': 'The bot is writing',
      'aria-busy': 'true',
      data: { key: `d${draftId}` },
    },
    element(
      'div',
      { class: 'column' },
      element(
        'div',
        { class: 'line' },
        element('div', { class: rich ? 'bubble rich' : 'bubble' }, renderBody({ text, entities, rich })),
        canStop && !isSending ? renderStop() : null,
      ),
    ),
  );
}

function renderBody({ text, entities, rich }) {
  const meta = element(
    'span',
    { class: 'meta', 'aria-hidden': 'true' },
    element('span', { class: 'dots' }, element('i', {}), element('i', {}), element('i', {})),
  );
  if (rich)
    return element(
      'div',
      { class: 'body' },
      element('div', { class: 'text blocks', dir: rich.is_rtl ? 'rtl' : undefined }, ...renderBlocks(rich.blocks)),
      meta,
    );
  const words = text === '' ? [element('span', { class: 'thinking' }, 'Thinking…')] : renderText(text, entities);
  return element('div', { class: 'body', dir: 'auto' }, element('span', { class: 'text' }, ...words), meta);
}

function renderStop() {
  return element(
    'button',
    { type: 'button', class: 'stop', title: 'Stop writing', data: { do: 'stop' } },
    icon('stop'),
    element('span', {}, 'Stop'),
  );
}
