import { useQueryClient } from '@tanstack/react-query';
import type { App, Build, Channel } from '@sluice/contracts';
import { createContext, useContext, useRef, useState, type ReactNode } from 'react';
import type { DialogState } from '../../../parts/dialog';
import { act, wasActive, type ActKind } from './acts';
import { EditBuild } from './edit-build';
import { refreshBuilds } from '../../builds/data';
import { PromoteDialog } from './promote-dialog';
import { RolloutDialog } from './rollout-dialog';
import { Step, STEPS, type StepKind } from './step';
import { UploadDialog } from './upload-dialog';

/** Questions about one build. */
export type BuildQuestion = 'promote' | 'rollout' | 'edit' | StepKind;
/** What is done without a question, since it can be undone. */
type BuildAct = { readonly kind: ActKind; readonly build: Build };

/** What a person is to be asked before it is done. */
export type Question =
  | { readonly kind: 'upload'; readonly channel: Channel; readonly file?: File }
  | { readonly kind: 'promote'; readonly build: Build; readonly target?: Channel }
  | { readonly kind: BuildQuestion; readonly build: Build };

const Ask = createContext<(question: Question | BuildAct) => void>(() => undefined);

/** Does what can be undone, and opens the dialog of all else; the screen has to stand in BuildDialogs. */
export const useAsk = (): ((question: Question | BuildAct) => void) => useContext(Ask);

interface BuildDialogsProps {
  readonly app: App;
  readonly gone?: () => void;
  readonly children: ReactNode;
}

/** `gone`: what happens once a build has been deleted. */
export function BuildDialogs({ app, gone, children }: BuildDialogsProps) {
  // Each question is a dialog of its own, so the input of the one before is discarded.
  const [asked, setAsked] = useState<{ readonly count: number; readonly question?: Question; readonly open: boolean }>({
    count: 0,
    open: false,
  });
  const client = useQueryClient();
  const acting = useRef(new Set<number>());
  const ask = (question: Question | BuildAct): void => {
    if (!isAct(question)) {
      setAsked(({ count }) => ({ count: count + 1, question, open: true }));
      return;
    }
    const { kind, build } = question;
    // Of a double click the second one is none.
    if (acting.current.has(build.id)) return;
    acting.current.add(build.id);
    void act(app, build, kind, () => refreshBuilds(client, app)).finally(() => acting.current.delete(build.id));
  };
  const close = (): void => setAsked((before) => ({ ...before, open: false }));
  return (
    <Ask value={ask}>
      {children}
      {asked.question !== undefined && (
        <Dialog key={asked.count} app={app} question={asked.question} open={asked.open} close={close} gone={gone} />
      )}
    </Ask>
  );
}

function isAct(question: Question | BuildAct): question is BuildAct {
  switch (question.kind) {
    case 'halt':
    case 'pause':
    case 'resume':
      return true;
    case 'archive':
      return wasActive(question.build);
    default:
      return false;
  }
}

interface DialogProps extends DialogState {
  readonly app: App;
  readonly question: Question;
  readonly gone: (() => void) | undefined;
}

function Dialog({ app, question, open, close, gone }: DialogProps) {
  const client = useQueryClient();
  const refresh = (): void => refreshBuilds(client, app);
  const shared = { app, open, close, refresh };
  switch (question.kind) {
    case 'upload':
      return <UploadDialog {...shared} channel={question.channel} file={question.file} />;
    case 'promote':
      return (
        <PromoteDialog {...shared} build={question.build} target={'target' in question ? question.target : undefined} />
      );
    case 'rollout':
      return <RolloutDialog {...shared} build={question.build} />;
    case 'edit':
      return <EditBuild {...shared} build={question.build} />;
    default:
      return (
        <Step
          app={app}
          build={question.build}
          step={STEPS[question.kind]}
          open={open}
          close={close}
          done={() => {
            refresh();
            if (question.kind === 'delete') gone?.();
          }}
        />
      );
  }
}
