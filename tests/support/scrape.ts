/** Reads /metrics of a service, as Prometheus does. Throws when it takes as long as a scrape may. */
export async function scrape(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.text();
}

/** The value of the one series with this name and these labels, besides `service`; null when it is absent. */
export function readSeries(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | null {
  const found = text.split('\n').filter((line) => {
    const match = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line);
    if (match?.[1] !== name) return false;
    const own = (match[2] ?? '').split(/,(?=\w+=")/).filter((pair) => pair !== '' && !pair.startsWith('service='));
    return (
      own.sort().join() ===
      Object.entries(labels)
        .map(([key, value]) => `${key}="${value}"`)
        .sort()
        .join()
    );
  });
  if (found.length > 1) throw new Error(`several series: ${found.join(' ')}`);
  return found[0] === undefined ? null : Number(found[0].split(' ').at(-1));
}

/** Names of the metrics of a scrape. */
export function listMetricNames(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map((match) => match[1] ?? ''));
}
