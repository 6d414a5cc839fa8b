import type { Build, Plan, PlanRules, PlanTemplate, Weekday } from '@sluice/contracts';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ApiError } from '../../../api/client';
import { showSecret } from '../../../api/shown-secret';
import { bind } from '../../../parts/bind';
import { Button } from '../../../parts/button';
import { Modal } from '../../../parts/dialog';
import { CheckField, Form, Group, SelectField, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { Loading, QueryState } from '../../../parts/states';
import { showToast } from '../../../parts/toasts';
import { toggled } from '../../../parts/toggled';
import * as texts from '../../../texts/plan';
import { build as nameOf } from '../../../texts/shared';
import { defaultRollout, isLive, usePlan, useTemplates } from '../../builds/data';
import type { DialogProps } from './dialog-props';
import { useErrorTexts } from './error-texts';
import {
  draftOf,
  firstDraft,
  type PlanDraft,
  planOf,
  type StepDraft,
  type WindowDraft,
  withStep,
  withWindow,
} from './plan-draft';

interface PlanDialogProps extends DialogProps {
  readonly build: Build;
}

/** Sets the plan of a build that has none which runs or is held. */
export function PlanDialog({ app, build, open, close, refresh }: PlanDialogProps) {
  const [, go] = useLocation();
  const [warnings, setWarnings] = useState<readonly string[]>();
  const plan = usePlan(app, build.id);
  const templates = useTemplates(app);
  return (
    <Modal title={texts.setTitle(nameOf(build))} wide keeps open={open} close={close}>
      {warnings !== undefined ? (
        <Accepted warnings={warnings} close={close} />
      ) : plan.data === undefined ? (
        <QueryState of={plan} what={texts.loading} />
      ) : plan.data !== null && isLive(plan.data) ? (
        <>
          <p>{texts.hasPlan}</p>
          <footer className="buttons">
            <Button
              kind="primary"
              onClick={() => {
                close();
                go(`/apps/${app.id}/builds/${build.id}`);
              }}
            >
              {texts.viewPlan}
            </Button>
          </footer>
        </>
      ) : templates.isPending ? (
        <Loading what={texts.loading} />
      ) : (
        <PlanForm {...{ app, build, open, close, refresh }} templates={templates.data?.data ?? []} warn={setWarnings} />
      )}
    </Modal>
  );
}

function Accepted({ warnings, close }: { readonly warnings: readonly string[]; readonly close: () => void }) {
  return (
    <>
      <Warnings of={warnings} />
      <footer className="buttons">
        <Button kind="primary" autoFocus onClick={close}>
          {texts.close}
        </Button>
      </footer>
    </>
  );
}

const Warnings = ({ of: warnings }: { readonly of: readonly string[] }) => (
  <div className="note warn" role="status">
    <p>{texts.accepted}</p>
    <ul>
      {warnings.map((warning) => (
        <li key={warning}>{texts.warning(warning)}</li>
      ))}
    </ul>
  </div>
);

/** The first plan of an app with a webhook gate makes a secret. */
type PlanSet = Plan & { readonly gate_secret?: string };

const ON_FAILS = Object.entries(texts.onFails) as [PlanRules['on_fail'], string][];
const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

interface PlanFormProps extends PlanDialogProps {
  readonly templates: readonly PlanTemplate[];
  readonly warn: (warnings: readonly string[]) => void;
}

function PlanForm({ app, build, templates, close, refresh, warn }: PlanFormProps) {
  const [template, setTemplate] = useState(() =>
    templates.find(({ name }) => name === defaultRollout(app, build.channel)),
  );
  const draftFrom = (from: PlanTemplate | undefined): PlanDraft =>
    from === undefined ? firstDraft(localZone()) : draftOf(from);
  const { draft, change, form, reset } = useForm<PlanDraft, PlanSet>(
    () => draftFrom(template),
    (plan) => api.put<PlanSet>(`/apps/${app.id}/builds/${build.id}/plan`, planOf(plan, template)).finally(refresh),
    {
      done: ({ warnings, gate_secret: secret }) => {
        if (secret !== undefined) {
          close();
          const note = (
            <>
              <p>{texts.secretNote}</p>
              {warnings.length > 0 && <Warnings of={warnings} />}
            </>
          );
          showSecret({ title: texts.secretTitle, label: texts.theSecret, secret, note });
          return;
        }
        if (warnings.length > 0) {
          warn(warnings);
          return;
        }
        showToast(texts.wasSet(nameOf(build)));
        close();
      },
    },
  );
  const [isMore, setMore] = useState(false);
  const error = useErrorTexts(form.error);
  // A fault must be visible at its field.
  const faults = error instanceof ApiError ? Object.keys(error.fields) : [];
  const isFaultyMore = faults.some((name) => !/^(steps|on_fail)/.test(name));
  const field = bind(draft, change);
  const { steps, windows } = draft;
  return (
    <Form {...form} error={error} verb={texts.verb} cancel={close} note={<StartNote draft={draft} />}>
      {templates.length > 0 && (
        <SelectField
          name="template"
          label={texts.template}
          value={template?.name ?? ''}
          change={(name) => {
            const chosen = templates.find((each) => each.name === name);
            setTemplate(chosen);
            change({ ...draftFrom(chosen), start: draft.start });
            reset();
          }}
          options={[['', texts.noTemplate], ...templates.map(({ name }) => [name, name] as const)]}
        />
      )}
      <Steps steps={steps} change={(changed) => change({ steps: changed })} />
      <SelectField {...field('on_fail')} label={texts.onFail} options={ON_FAILS} />
      <details
        className="more"
        open={isMore || isFaultyMore}
        onToggle={({ currentTarget }) => setMore(currentTarget.open)}
      >
        <summary>{texts.thresholds}</summary>
        <div className="form">
          <div className="pair">
            <NumberField
              {...field('threshold')}
              name="gates.failures.threshold_percent"
              label={texts.threshold}
              help={texts.thresholdHelp}
            />
            <NumberField
              {...field('silence')}
              name="gates.silence.threshold_percent"
              label={texts.silence}
              help={texts.silenceHelp}
            />
            <NumberField
              {...field('silenceAfter')}
              name="gates.silence.after_minutes"
              label={texts.silenceAfter}
              help={texts.silenceAfterHelp}
            />
          </div>
          <TextField
            {...field('webhook')}
            name="gates.webhook.url"
            inputMode="url"
            spellCheck={false}
            autoComplete="off"
            label={texts.webhook}
            placeholder={texts.webhookExample}
            help={texts.webhookHelp}
          />
          <TextField
            {...field('start')}
            name="start_at"
            type="datetime-local"
            label={texts.start}
            help={texts.startHelp}
          />
          <Windows windows={windows} change={(changed) => change({ windows: changed })} />
          {windows.length > 0 && (
            <TextField
              {...field('zone')}
              name="time_zone"
              label={texts.zone}
              help={texts.zoneHelp}
              spellCheck={false}
            />
          )}
        </div>
      </details>
    </Form>
  );
}

/** What the plan does first. */
const StartNote = ({ draft: { steps, windows, start } }: { readonly draft: PlanDraft }) => (
  <p className="note info" role="status">
    {start === '' && windows.length === 0 ? texts.startsNow(Number(steps[0]?.percentage ?? 0)) : texts.startsLater}
  </p>
);

const NumberField = (props: Parameters<typeof TextField>[0]) => (
  <TextField {...props} inputMode="decimal" autoComplete="off" />
);

interface StepsProps {
  readonly steps: readonly StepDraft[];
  /** Of a plan that runs: the number of its present step, which keeps its percentage and comes first. */
  readonly present?: number;
  readonly change: (steps: readonly StepDraft[]) => void;
}

const UNITS = Object.entries(texts.units) as [StepDraft['unit'], string][];

export function Steps({ steps, present, change }: StepsProps) {
  const end = useRef<HTMLDivElement>(null);
  const edit = (id: number, changes: Partial<StepDraft>): void =>
    change(steps.map((step) => (step.id === id ? { ...step, ...changes } : step)));
  const remove = (id: number): void => {
    change(steps.filter((step) => step.id !== id));
    end.current?.querySelector('button')?.focus();
  };
  return (
    <Group name="steps" label={texts.steps} help={texts.stepsHelp}>
      <div className="rows">
        {steps.map((step, index) => {
          const place = (present ?? 1) - 1 + index;
          const path = `steps.${place}.`;
          const isPresent = present !== undefined && index === 0;
          const field = bind(step, (changes) => edit(step.id, changes));
          return (
            <div key={step.id} className="step-row" role="group" aria-label={texts.step(place + 1)}>
              <NumberField
                {...field('percentage')}
                name={`${path}percentage`}
                label={texts.percentage}
                readOnly={isPresent}
              />
              <NumberField {...field('lasts')} name={`${path}hold_minutes`} label={texts.lasts} />
              <SelectField {...field('unit')} name={`${path}unit`} label={texts.unit} options={UNITS} />
              <NumberField {...field('devices')} name={`${path}min_devices`} label={texts.devices} />
              <Button
                aria-label={texts.removeStepNumber(place + 1)}
                disabled={steps.length === 1 || isPresent}
                onClick={() => remove(step.id)}
              >
                {texts.removeStep}
              </Button>
            </div>
          );
        })}
      </div>
      <div ref={end} className="buttons">
        <Button onClick={() => change(withStep(steps))}>{texts.addStep}</Button>
        <small>{texts.devicesHelp}</small>
      </div>
    </Group>
  );
}

const DAYS = Object.entries(texts.weekdays) as [Weekday, string][];

interface WindowsProps {
  readonly windows: readonly WindowDraft[];
  readonly change: (windows: readonly WindowDraft[]) => void;
}

function Windows({ windows, change }: WindowsProps) {
  const end = useRef<HTMLDivElement>(null);
  const edit = (id: number, changes: Partial<WindowDraft>): void =>
    change(windows.map((window) => (window.id === id ? { ...window, ...changes } : window)));
  const remove = (id: number): void => {
    change(windows.filter((window) => window.id !== id));
    end.current?.querySelector('button')?.focus();
  };
  return (
    <Group name="windows" label={texts.windowsLabel} help={texts.windowsHelp}>
      <div className="rows">
        {windows.map((window, index) => {
          const path = `windows.${index}.`;
          const field = bind(window, (changes) => edit(window.id, changes));
          return (
            <div key={window.id} className="window-row" role="group" aria-label={texts.windowNumber(index + 1)}>
              <Group name={`${path}days`} label={texts.days}>
                <div className="days">
                  {DAYS.map(([day, name]) => (
                    <CheckField
                      key={day}
                      name={`${path}${day}`}
                      label={name}
                      value={window.days.has(day)}
                      change={(has) => edit(window.id, { days: toggled(window.days, day, has) })}
                    />
                  ))}
                </div>
              </Group>
              <TextField {...field('from')} name={`${path}from`} label={texts.from} />
              <TextField {...field('to')} name={`${path}to`} label={texts.to} help={texts.toHelp} />
              <Button aria-label={texts.removeWindowNumber(index + 1)} onClick={() => remove(window.id)}>
                {texts.removeWindow}
              </Button>
            </div>
          );
        })}
      </div>
      <div ref={end} className="buttons">
        <Button onClick={() => change(withWindow(windows))}>{texts.addWindow}</Button>
      </div>
    </Group>
  );
}
