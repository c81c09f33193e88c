import { byId, element } from './element.js';

const TOAST_MS = 4_000;

/** A short text at the bottom which goes by itself, as Telegram shows the answer to a button. */
export function showToast(text, kind = 'info') {
  const toast = element('div', { class: 'toast', dir: 'auto', data: { kind } }, text);
  byId('toasts').append(toast);
  setTimeout(() => toast.remove(), TOAST_MS);
}

/** A text that has to be closed. A second one while the first is open is shown after it. */
export function showAlert(text) {
  const dialog = byId('alert');
  if (dialog.open) {
    dialog.addEventListener('close', () => showAlert(text), { once: true });
    return;
  }
  byId('alert-text').textContent = text;
  dialog.showModal();
}

/** Reads a text out to those who listen instead of look. */
export function announce(text) {
  byId('live').textContent = text;
}
