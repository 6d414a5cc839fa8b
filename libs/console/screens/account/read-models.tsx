import type { ProjectionStatus } from '@sluice/contracts';
import { api } from '../../api/client';
import { useGet } from '../../api/queries';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Section } from '../../parts/page';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { LastTask } from './last-task';
import { Standing } from './standing';

const BUSY_MS = 1_000;
const IDLE_MS = 15_000;
const KEY = ['projections', null] as const;

interface Wish {
  readonly kind: 'rebuild' | 'verify';
  readonly name: string;
}

/** What lists and searches are read from; it can be rebuilt from the events at any time. */
export function ReadModels() {
  const { about: wish, show: setWish, dialog } = useDialog<Wish>();
  const models = useGet<ProjectionStatus[]>('/projections', KEY, {
    refetchInterval: ({ state }) =>
      state.data?.some(({ task }) => task?.status === 'running') === true ? BUSY_MS : IDLE_MS,
  });
  return (
    <Section title="Read models">
      <p className="dim">
        Lists and searches read from these. All of them are built from the events. You can compare them with the events,
        or rebuild them while they serve.
      </p>
      <QueryState of={models} what="the read models" />
      {models.data !== undefined && (
        <ul className="cards">
          {models.data.map((model) => (
            <li key={model.name} className="card">
              <header className="head">
                <h3>{model.name}</h3>
                <Standing of={model} />
              </header>
              <p className="dim">
                of {model.service}, version {model.version}
              </p>
              {model.stopped !== null && <p>It has stopped: {model.stopped}</p>}
              <LastTask task={model.task} />
              <div className="buttons">
                <Button onClick={() => setWish({ kind: 'verify', name: model.name })}>Verify {model.name}</Button>
                <Button onClick={() => setWish({ kind: 'rebuild', name: model.name })}>Rebuild {model.name}</Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Confirm
        title={wish?.kind === 'rebuild' ? `Rebuild ${wish.name}` : `Verify ${wish?.name ?? ''}`}
        verb={wish?.kind === 'rebuild' ? 'Rebuild' : 'Verify'}
        danger={false}
        {...dialog}
        confirm={() => api.post(`/projections/${wish?.name ?? ''}/${wish?.kind ?? ''}`)}
        refresh={[KEY]}
      >
        <p>
          {wish?.kind === 'rebuild'
            ? 'All events are replayed into a new read model, which then takes the place of the present one. That one serves meanwhile.'
            : 'All events are replayed, and what they make is compared with the read model. Nothing is changed.'}{' '}
          With many events it takes minutes.
        </p>
      </Confirm>
    </Section>
  );
}
