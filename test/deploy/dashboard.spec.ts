import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metrics } from '@sluice/telemetry';
import { parse } from 'yaml';
import { ROOT } from './made-secrets';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const deploy = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const { panels } = JSON.parse(deploy('grafana/dashboards/sluice.json')) as Dashboard;
interface Scrape {
  readonly dns_sd_configs: readonly { readonly names: readonly string[]; readonly port: number }[];
  readonly relabel_configs: readonly { readonly source_labels: readonly string[]; readonly target_label: string }[];
}
const { scrape_configs: jobs } = parse(deploy('prometheus/prometheus.yaml')) as { scrape_configs: readonly Scrape[] };
const scrape = jobs[0]!;
/** Labels that Prometheus adds to every sample. */
const SCRAPED = ['instance', ...scrape.relabel_configs.map(({ target_label }) => target_label)];
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));

/** Words of the query language that occur in the dashboard, in addition to the names of labels in `by (…)` and `{…}`. */
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
      expect(asked.filter((label) => ![...metric.labelNames, 'le', ...SCRAPED].includes(label))).toEqual([]);
    }
  });

  it('names the service of a process next to its address', () => {
    expect(scrape.relabel_configs).toEqual([{ source_labels: ['__meta_dns_name'], target_label: 'process' }]);
    const byProcess = panels.flatMap(({ targets }) => targets).filter(({ expr }) => /\bby \([^)]*instance/.test(expr));
    expect(byProcess).toHaveLength(5);
    for (const { expr, legendFormat } of byProcess) {
      expect(expr).toContain('by (process, instance');
      expect(legendFormat).toContain('{{process}} {{instance}}');
    }
  });

  it('shows what a process passed over before its first scrape', () => {
    const skipped = queries.filter(([, expr]) => expr.includes('sluice_index_skipped'));
    expect(skipped).toHaveLength(2);
    for (const [, expr] of skipped) expect(expr).not.toMatch(/\b(increase|rate)\(/);
  });

  it('shows no full disk for a process that measures none, and one disk for several workers', async () => {
    const [disk] = (await metrics.getMetricsAsJSON()).filter(({ name }) => name === 'sluice_disk_free_bytes');
    expect(disk).toMatchObject({ aggregator: 'min', values: [] });
  });

  it('has the panels that the monitoring page lists', () => {
    const page = readFileSync(join(ROOT, 'docs', 'operations', 'monitoring.md'), 'utf8');
    const [, table = ''] = page.split('The panels of the Grafana dashboard');
    const listed = [...table.matchAll(/^\| ([A-Z][^|]*?) +\|/gm)].map(([, names = '']) => names.split(', '));
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.filter(([name = '']) => !panels.some(({ title }) => title.startsWith(name)))).toEqual([]);
  });

  it('asks the source that is provisioned', () => {
    const { datasources } = parse(deploy('grafana/provisioning/datasources/sluice.yaml')) as {
      datasources: { uid: string }[];
    };
    const known = datasources.map(({ uid }) => uid);
    for (const { datasource } of panels) expect(known).toContain(datasource.uid);
  });

  it('is fed by every service', () => {
    const { names, port } = scrape.dns_sd_configs[0]!;
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
