import type { ProjectionStatus } from '@sluice/contracts';
import { api } from '../../api/client';
import { useGet } from '../../api/queries';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Section } from '../../parts/page';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import * as texts from '../../texts/account';
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
  const isRebuild = wish?.kind === 'rebuild';
  const models = useGet<ProjectionStatus[]>('/projections', KEY, {
    refetchInterval: ({ state }) =>
      state.data?.some(({ task }) => task?.status === 'running') === true ? BUSY_MS : IDLE_MS,
  });
  return (
    <Section title={texts.readModels}>
      <p className="dim">{texts.readModelsHelp}</p>
      <QueryState of={models} what={texts.loadingReadModels} />
      {models.data !== undefined && (
        <ul className="cards">
          {models.data.map((model) => (
            <li key={model.name} className="card">
              <header className="head">
                <h3>{model.name}</h3>
                <Standing of={model} />
              </header>
              <p className="dim">{texts.ofService(model.service, model.version)}</p>
              {model.stopped !== null && <p>{texts.hasStopped(model.stopped)}</p>}
              <LastTask task={model.task} />
              <div className="buttons">
                <Button
                  aria-label={texts.verify(model.name)}
                  onClick={() => setWish({ kind: 'verify', name: model.name })}
                >
                  {texts.verifyVerb}
                </Button>
                <Button
                  aria-label={texts.rebuild(model.name)}
                  onClick={() => setWish({ kind: 'rebuild', name: model.name })}
                >
                  {texts.rebuildVerb}
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Confirm
        title={isRebuild ? texts.rebuild(wish.name) : texts.verify(wish?.name ?? '')}
        verb={isRebuild ? texts.rebuildVerb : texts.verifyVerb}
        danger={false}
        {...dialog}
        confirm={() => api.post(`/projections/${wish?.name ?? ''}/${wish?.kind ?? ''}`)}
        refresh={[KEY]}
      >
        <p>{isRebuild ? texts.aboutRebuild : texts.aboutVerify}</p>
      </Confirm>
    </Section>
  );
}
