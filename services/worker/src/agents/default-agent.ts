/** The agent that answers where nobody chose one, unless AGENT_DEFAULT names another. */
export const DEFAULT_AGENT = 'product_owner';
