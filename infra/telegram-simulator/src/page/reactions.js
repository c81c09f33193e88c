import { element } from './element.js';

/** What the menu of a message offers: the free reactions of Telegram that people use most. */
const QUICK_REACTIONS = ['👍', '❤', '🔥', '🎉', '😁', '🤔', '👀'];

/** The reactions below a message; pressing one adds one's own or takes it back. */
export function renderReactions(reactions, person, nameOf) {
  return element(
    'div',
    { class: 'reactions' },
    ...reactions.map(({ emoji, fromIds }) => {
      const isOwn = fromIds.includes(person);
      const names = fromIds.map((id) => (id === person ? 'you' : nameOf(id))).join(', ');
      return element(
        'button',
        {
          type: 'button',
          class: 'reaction',
          title: names,
          'aria-label': `${emoji} from ${names}`,
          'aria-pressed': String(isOwn),
          data: { do: 'react', value: isOwn ? '' : emoji, key: emoji },
        },
        element('span', { 'aria-hidden': 'true' }, emoji),
        element('span', { 'aria-hidden': 'true' }, String(fromIds.length)),
      );
    }),
  );
}

/** The row of the menu that reacts to a message. */
export function renderReactionRow({ reactions }, person, onReact) {
  const own = reactions.find(({ fromIds }) => fromIds.includes(person))?.emoji;
  return element(
    'div',
    { class: 'reaction-row', role: 'group', 'aria-label': 'React' },
    ...QUICK_REACTIONS.map((emoji) =>
      element(
        'button',
        {
          type: 'button',
          class: 'reaction-choice',
          'aria-label': `React with ${emoji}`,
          'aria-pressed': String(emoji === own),
          on: { click: () => onReact(emoji === own ? null : emoji) },
        },
        emoji,
      ),
    ),
  );
}
