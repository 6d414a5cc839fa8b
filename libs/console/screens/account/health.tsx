import { useQuery } from '@tanstack/react-query';
import type { Diagnostics, ServiceFacts } from '@sluice/contracts';
import { api } from '../../api/client';
import { Facts, Section } from '../../parts/page';
import { QueryState } from '../../parts/states';
import { Badge, size } from '../../parts/values';
import * as texts from '../../texts/health';
import { findingsOf } from './health-checks';
import { Standing } from './standing';

const REFRESH_MS = 10_000;

/** Whether everything that the installation is made of is well, and what to do where it is not. */
export function Health() {
  const diagnostics = useQuery({
    queryKey: ['diagnostics', null],
    queryFn: async () => ({ response: await api.get<Diagnostics>('/diagnostics'), at: Date.now() }),
    refetchInterval: REFRESH_MS,
  });
  if (!diagnostics.isSuccess) return <QueryState of={diagnostics} what={texts.loading} />;
  const { response, at } = diagnostics.data;
  const findings = findingsOf(response, at);
  return (
    <>
      <Section title={texts.health}>
        <div role="status" className="findings">
          {findings.length === 0 ? (
            <p>
              <Badge tone="good">{texts.healthy}</Badge> {texts.allHealthy}
            </p>
          ) : (
            findings.map(({ what, tone, message, remedy }) => (
              <div key={message} className={tone === 'bad' ? 'note danger' : 'note warn'}>
                <p>
                  <strong>{what}:</strong> {message}
                </p>
                <p>{remedy}</p>
              </div>
            ))
          )}
        </div>
      </Section>
      <Section title={texts.services}>
        <ul className="cards">
          {response.services.map(({ service, facts }) => (
            <li key={service} className="card">
              <header className="head">
                <h3>{service}</h3>
                {facts === null ? (
                  <Badge tone="bad">{texts.noResponse}</Badge>
                ) : (
                  <Badge tone="good">{texts.responds}</Badge>
                )}
              </header>
              {facts !== null && <ServiceCard facts={facts} />}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function ServiceCard({ facts }: { readonly facts: ServiceFacts }) {
  return (
    <>
      <Facts
        facts={{
          [texts.release]: facts.version,
          [texts.node]: facts.node,
          [texts.uptime]: upFor(facts.uptime_seconds),
          ...(facts.disk && { [texts.disk]: texts.free(size(facts.disk.free), size(facts.disk.total)) }),
        }}
      />
      <ul className="plain-list">
        {facts.engines.map(({ name, kind, fault, product }) => (
          <li key={name}>
            <Badge tone={fault === null ? 'good' : 'bad'}>{fault === null ? texts.up : texts.unavailable}</Badge> {name}{' '}
            <span className="dim">{product ?? kind}</span>
          </li>
        ))}
        {facts.projections.map((model) => (
          <li key={model.name}>
            <Standing of={model} /> {texts.readModel(model.name)}
          </li>
        ))}
      </ul>
    </>
  );
}

function upFor(seconds: number): string {
  if (seconds < 120) return texts.seconds(seconds);
  if (seconds < 7_200) return texts.minutes(Math.floor(seconds / 60));
  return seconds < 172_800 ? texts.hours(Math.floor(seconds / 3_600)) : texts.days(Math.floor(seconds / 86_400));
}
