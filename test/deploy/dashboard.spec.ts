import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metrics } from '@sluice/telemetry';
import { parse } from 'yaml';
import { ROOT } from './made-secrets';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const deploy = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const { panels } = JSON.parse(deploy('grafana/dashboards/sluice.json')) as Dashboard;
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));

/** Words of the query language that stand in the dashboard, beside the names of labels in `by (…)` and `{…}`. */
const LANGUAGE = new Set(['sum', 'max', 'min', 'by', 'rate', 'increase', 'histogram_quantile']);

function namesIn(query: string): string[] {
  const bare = query.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ');
  return [...bare.matchAll(/[a-z_][a-z0-9_]*/gi)].map(([name]) => name).filter((name) => !LANGUAGE.has(name));
}

describe('the dashboard', () => {
  it.each(queries)('asks for what is measured: %s', async (_, query) => {
    const known = await metrics.getMetricsAsJSON();
    const names = namesIn(query);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const metric = known.find((each) => [name, name.replace(/_(count|sum|bucket)$/, '')].includes(each.name));
      expect([name, metric?.type]).toEqual([name, expect.any(String)]);
      // Of a histogram alone there are these three; a counter has its own name.
      expect(/_(count|sum|bucket)$/.test(name)).toBe(String(metric?.type) === 'histogram');
    }
    expect(query.split('(')).toHaveLength(query.split(')').length);
  });

  it.each(queries)('asks by labels that are there: %s', (_, query) => {
    const asked = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
    for (const name of namesIn(query)) {
      const metric = metrics.getSingleMetric(name.replace(/_(count|sum|bucket)$/, '')) as unknown as {
        readonly labelNames: readonly string[];
      };
      expect(asked.filter((label) => ![...metric.labelNames, 'le', 'instance'].includes(label))).toEqual([]);
    }
  });

  it('asks the source that is provisioned', () => {
    const { datasources } = parse(deploy('grafana/provisioning/datasources/sluice.yaml')) as {
      datasources: { uid: string }[];
    };
    const known = datasources.map(({ uid }) => uid);
    for (const { datasource } of panels) expect(known).toContain(datasource.uid);
  });

  it('is fed by every service', () => {
    const { scrape_configs: jobs } = parse(deploy('prometheus/prometheus.yaml')) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const { names, port } = jobs[0]!.dns_sd_configs[0]!;
    expect(names).toHaveLength(6);
    const { services } = parse(deploy('compose.yaml'), { merge: true }) as {
      services: Record<string, { environment: Record<string, string>; ports?: string[] }>;
    };
    for (const name of names) {
      const { environment, ports = [] } = services[name]!;
      expect(environment).toMatchObject({ METRICS_HOST: '0.0.0.0', METRICS_PORT: String(port) });
      expect(ports.filter((published) => published.endsWith(`:${port}`))).toEqual([]);
    }
  });
});
