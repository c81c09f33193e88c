export function buildServices(checkout: string, report: (line: string) => void): Promise<string | null>;
