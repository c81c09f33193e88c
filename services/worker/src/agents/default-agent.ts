/** The agent of chats without a choice, unless AGENT_DEFAULT names another. */
export const DEFAULT_AGENT = 'product_owner';
