import type { TelegramApi } from './client.ts';

/** Hears every answer to getMe, which every listener calls first. */
export function onIdentity(api: TelegramApi, hear: (bot: { readonly username: string }) => void): void {
  api.config.use(async (call, method, payload, signal) => {
    const answer = await call(method, payload, signal);
    // The method that was called says what the answer holds.
    if (method === 'getMe' && answer.ok) hear(answer.result as { readonly username: string });
    return answer;
  });
}
