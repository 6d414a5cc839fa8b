import { useQuery } from '@tanstack/react-query';
import type { Diagnostics, ServiceFacts } from '@sluice/contracts';
import type { ReactNode } from 'react';
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
  const shared = sharedLines(response.services.flatMap(({ facts }) => facts ?? []));
  const isShared = (key: string): boolean => shared.some((line) => line.key === key);
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
        {shared.length > 0 && (
          <div className="card all-services">
            <h3>{texts.allServices}</h3>
            <Lines lines={shared} />
          </div>
        )}
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
              {facts !== null && <Lines lines={linesOf(facts).filter(({ key }) => !isShared(key))} />}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

/** A line of a card. Lines of the same key are the same. */
interface Line {
  readonly key: string;
  /** Of a fact; a line without one is an engine or a read model. */
  readonly name?: string;
  readonly shown: ReactNode;
}

function linesOf(facts: ServiceFacts): Line[] {
  const fact = (name: string, shown: string): Line => ({ key: `${name} ${shown}`, name, shown });
  const { disk } = facts;
  return [
    fact(texts.release, facts.version),
    fact(texts.node, facts.node),
    fact(texts.uptime, upFor(facts.uptime_seconds)),
    ...(disk === null ? [] : [fact(texts.disk, texts.free(size(disk.free), size(disk.total)))]),
    ...facts.engines.map(({ name, kind, fault, product }) => ({
      key: JSON.stringify([name, kind, fault, product]),
      shown: (
        <>
          <Badge tone={fault === null ? 'good' : 'bad'}>{fault === null ? texts.up : texts.unavailable}</Badge> {name}{' '}
          <span className="dim">{product ?? kind}</span>
        </>
      ),
    })),
    ...facts.projections.map((model) => ({
      key: model.name,
      shown: (
        <>
          <Standing of={model} /> {texts.readModel(model.name)}
        </>
      ),
    })),
  ];
}

/** What all services that respond have in common. */
function sharedLines([first, ...others]: readonly ServiceFacts[]): Line[] {
  if (first === undefined || others.length === 0) return [];
  const keys = others.map((facts) => new Set(linesOf(facts).map(({ key }) => key)));
  return linesOf(first).filter(({ key }) => keys.every((of) => of.has(key)));
}

function Lines({ lines }: { readonly lines: readonly Line[] }) {
  const facts = lines.flatMap(({ name, shown }) => (name === undefined ? [] : [[name, shown] as const]));
  const others = lines.filter(({ name }) => name === undefined);
  return (
    <>
      {facts.length > 0 && <Facts facts={Object.fromEntries(facts)} />}
      {others.length > 0 && (
        <ul className="plain-list">
          {others.map(({ key, shown }) => (
            <li key={key}>{shown}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function upFor(seconds: number): string {
  if (seconds < 120) return texts.seconds(seconds);
  if (seconds < 7_200) return texts.minutes(Math.floor(seconds / 60));
  return seconds < 172_800 ? texts.hours(Math.floor(seconds / 3_600)) : texts.days(Math.floor(seconds / 86_400));
}
