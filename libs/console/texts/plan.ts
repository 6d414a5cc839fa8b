/** The texts of rollout plans: the section on the page of a build, its dialogs, and the signs elsewhere. */
import type { Channel, OpenPlan, Plan, Weekday } from '@sluice/contracts';
import { build as nameOf, counted } from './shared';

type Status = Plan['status'];
type Because = NonNullable<Plan['because']>;

export const section = 'Rollout plan';
export const loading = 'the rollout plan';
export const none =
  'A plan raises the rollout step by step while devices report few failures, and stops when too many fail.';

export const statuses: Readonly<Record<Status, string>> = {
  running: 'Running',
  held: 'Held',
  completed: 'Completed',
  failed: 'Failed',
  aborted: 'Ended',
};

const at = (percentage: number | null): string =>
  percentage === null ? 'before its first step' : `at ${percentage}% of devices`;
const first = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const personHeld = 'A person held it.';
/** Its event in the history. */
export const heldEvent = 'PlanHeld';
/** Followed by the time. */
export const heldBy = (actor: string): string => `${actor} held it`;
export const heldMeaning =
  'The build is still offered at its percentage, which does not rise until the plan is resumed.';
const whyHeld: Readonly<Partial<Record<Because, string>>> = {
  manual: personHeld,
  inconclusive: 'The step is over, but the reports are not enough to continue.',
  failed: 'A gate failed.',
};
/** Follows the status. `percentage`: of its step. `change`: what ended it, in words. Who holds it is shown apart. */
export const state = (
  { status, because, step, steps, on_fail }: Plan,
  percentage: number | null,
  change: string | null,
): string => {
  switch (status) {
    case 'running':
      return step === null ? 'Waits for its first step.' : `Step ${step} of ${steps.length}, ${at(percentage)}.`;
    case 'held':
      return `${first(at(percentage))}. ${(because !== null && because !== 'manual' && whyHeld[because]) || ''}`.trim();
    case 'completed':
      return `${first(at(percentage))}.`;
    case 'failed':
      return `${first(at(percentage))}. A gate failed, and the build was ${on_fail === 'recall' ? 'recalled' : 'halted'}.`;
    case 'aborted':
      return because === 'deleted'
        ? `Deleted ${at(percentage)}.`
        : `Ended ${at(percentage)}, because the build was changed${change === null ? '' : `: ${change}`}.`;
  }
};

export const steps = 'Steps';
export const ofDevices = (percentage: number): string => `${percentage}% of devices`;
/** What a step needs before the next one. */
export const needs = (minutes: number, devices: number): string =>
  `for at least ${duration(minutes)}${devices === 0 ? '' : `, then ${counted(devices, 'device', 'devices')} must have reported a result`}`;
export const presentStep = 'now';
export const duration = (minutes: number): string => {
  const parts = [
    [Math.floor(minutes / 1_440), 'day', 'days'],
    [Math.floor(minutes / 60) % 24, 'hour', 'hours'],
    [minutes % 60, 'minute', 'minutes'],
  ] as const;
  const given = parts.filter(([count]) => count > 0).map(([count, one, many]) => counted(count, one, many));
  return given.length === 0 ? '0 minutes' : given.join(' ');
};

export const nextStep = 'Next step, at the earliest';
export const completes = 'Completes, at the earliest';
export const firstStep = 'First step, at the earliest';
export const stepOver = 'Step over, at the earliest';
export const nextInShort = (step: number | null, steps: number): string =>
  step === null ? 'first step' : step === steps ? 'completes' : 'next step';
export const atTheEarliest = 'at the earliest';
export const stepOf = (step: number | null, steps: number): string =>
  step === null ? 'Before its first step' : `Step ${step} of ${steps}`;
export const limit = 'Failure limit';
/** `baseline`: a link to the build whose failure rate raised the limit. */
export const fromBaseline = (percent: string): string => `${percent}, 1.5 times the rate of`;
export const windows = 'Steps can start';
export const always = 'At any time';
export const weekdays: Readonly<Record<Weekday, string>> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
};
export const window = (days: string, from: string, to: string): string => `${days} ${from}–${to}`;
export const inZone = (list: string, zone: string): string => `${list} (${zone})`;
export const onFail = 'If too many devices fail, or the webhook answers “fail”';
export const onFails: Readonly<Record<Plan['on_fail'], string>> = {
  hold: 'Hold the plan: the build keeps its percentage',
  halt: 'Halt the build: no more devices get it',
  recall: 'Recall the build: its devices get the previous build',
};
export const webhookGate = 'Webhook gate';
export const webhookAnswers = { pass: 'Passed', fail: 'Failed', wait: 'Waits' } as const;
export const noAnswer = 'No answer yet.';
export const set = 'Plan set';
export const ended = 'Plan ended';

export const evidence = 'Reports of devices';
export const reports = 'Reports';
export const now = 'Now';
export const lastVerdict = 'Last verdict';
export const finished = 'Devices with a result';
export const failed = 'Failed or rolled back';
export const rate = 'Failure rate';
export const bound = 'Failure rate, lower bound';
export const leftOut = 'Not counted, because of the limit for one IP address';
export const silent = 'Downloaded without a report';
export const silentOf = (count: number, of: number): string => `${count.toLocaleString()} of ${of.toLocaleString()}`;
export const percent = (value: number): string => `${value.toLocaleString(undefined, { maximumFractionDigits: 2 })}%`;
/** Over the numbers. */
export const countsHelp =
  'One IP address counts for at most 2% of the devices, or for 3 devices if that is more. So these numbers can be lower than those under “Device reports”. A step needs enough devices even without those of the IP address that has the most. The plan fails when the failure rate is almost certainly above the failure limit.';
export const notCounted = 'The reports can’t be counted at the moment.';
export const verdicts: Readonly<Record<NonNullable<Plan['judged']>['verdict'], string>> = {
  pass: 'Passed',
  fail: 'Failed',
  inconclusive: 'Not enough evidence',
};
export const verdictOf = (step: number): string => `Step ${step}`;
/** With the name that the form has for it. */
export const warning = (text: string): string => text.replace('min_devices', 'devices');
export const moreWarnings = (count: number): string => counted(count, 'more warning', 'more warnings');

// The timeline.
export const began = 'Began';
export const skipped = 'Skipped';
export const gates = 'What this step waits for';
export const gate = (name: string, value: string): string => `${name}: ${value}`;
export const time = 'Time';
export const failures = 'Failures';
export const met = 'Met';
export const aboveLimit = 'Above the limit';
/** In minutes. */
export const timeOf = (passed: number, of: number): string => `${duration(passed)} of ${duration(of)}`;
export const devicesOf = (count: number, of: number): string => `${count.toLocaleString()} of ${of.toLocaleString()}`;
export const limitOf = (percent: string, limit: string): string => `${percent}, limit ${limit}`;
/** In the cell of the step that the plan enters then. */
export const skipHere = 'Skip to this step…';
export const skipToEnd = 'Complete now…';

// Changes of the steps of a plan that runs.
export const edit = 'Edit steps…';
export const editTitle = (build: string): string => `Steps of the plan of ${build}`;
export const stepsLeft = (percentages: readonly number[]): string =>
  `Over already: ${percentages.map((each) => `${each}%`).join(', ')}. The present step keeps its percentage, and the time that it has lasted.`;
export const save = 'Save steps';
export const wasChanged = (build: string): string => `The steps of the plan of ${build} are changed.`;
export const changedElsewhere = 'This plan changed elsewhere.';
export const nowIs = ({ status, step, steps }: Plan): string =>
  `It is ${status === 'held' ? 'held' : 'running'} now: ${step === null ? 'before its first step' : `step ${step}`}, with the steps ${steps.map(({ percentage }) => `${percentage}%`).join(', ')}.`;
export const planChanged = 'The plan changed in the meantime. Look at it again before you change it.';
export const useTheirs = 'Use the current steps';
export const keepMine = 'Keep my steps';

// Actions on a plan. Each dialog states first what happens.
export const hold = 'Hold…';
export const resume = 'Resume…';
export const remove = 'Delete plan…';
export const stop = 'Halt rollout…';
export const changed = (build: string): string => `The plan of ${build} changed in the meantime.`;

export const holdTitle = (build: string): string => `Hold the plan of ${build}?`;
export const holdEffect = (percentage: number | null): string =>
  `The build keeps its rollout${percentage === null ? '' : ` of ${percentage}%`}. The plan enters no further step until you resume it. If devices report too many failures meanwhile, the plan still fails.`;
export const holdVerb = 'Hold plan';
export const wasHeld = (build: string): string => `The plan of ${build} is held.`;
export const wasHeldInStep = (build: string): string =>
  `The plan of ${build} is held. Undo resumes it, and its step starts again.`;

export const resumeTitle = (build: string): string => `Resume the plan of ${build}?`;
export const resumeEffect = (minutes: number | null): string =>
  minutes === null
    ? 'The plan waits for its first step again.'
    : `The step starts again. It lasts at least ${duration(Math.max(1, minutes))} from now.`;
export const forgives = 'The devices that were counted until now no longer count, so the step needs new ones.';
export const asksAgain = 'The webhook gate is asked again, and stops the plan again if it still answers “fail”.';
export const resumeVerb = 'Resume plan';
export const wasResumed = (build: string): string => `The plan of ${build} is running.`;

export const skipTitle = (build: string): string => `Skip a step of ${build}?`;
export const skipEffect = (percentage: number): string =>
  `The build is offered to ${percentage}% of devices immediately, whatever devices report and without waiting for a window. You can’t undo this.`;
export const skipLast = (percentage: number): string =>
  `This is the last step. The plan is completed, and the build stays at ${percentage}%. You can’t undo this.`;
export const skipVerb = 'Skip step';
export const wasSkipped = (build: string): string => `A step of ${build} was skipped.`;

export const removeTitle = (build: string): string => `Delete the plan of ${build}?`;
export const removeEffect =
  'The plan ends, and can no longer stop the build. The build keeps its rollout. You can’t undo this, but you can set another plan.';
export const removeVerb = 'Delete plan';
export const wasRemoved = (build: string): string => `The plan of ${build} was deleted.`;

/** Added to what an action does. */
export const ends = 'The rollout plan of this build ends.';
export const endsForGood =
  'The rollout plan of this build ends. Undo does not restore it, but you can set another plan.';
export const endTitle: Readonly<Record<'halt' | 'pause' | 'archive', (build: string) => string>> = {
  halt: (build) => `Halt the rollout of ${build}?`,
  pause: (build) => `Pause ${build}?`,
  archive: (build) => `Archive ${build}?`,
};
export const endEffect: Readonly<Record<'halt' | 'pause' | 'archive', string>> = {
  halt: 'No more devices are offered this build. Devices that run it keep it.',
  pause: 'No more devices are offered this build, and it is taken out of the channel. Devices that run it keep it.',
  archive: 'No more devices are offered this build, and “Releases” no longer shows it. Devices that run it keep it.',
};
export const endVerb: Readonly<Record<'halt' | 'pause' | 'archive', string>> = {
  halt: 'Halt rollout',
  pause: 'Pause build',
  archive: 'Archive',
};

// The form that sets a plan.
export const setPlan = 'Set a plan…';
export const menu = 'Rollout plan…';
export const needsActive = 'Only an active build can have a rollout plan.';
export const setTitle = (build: string): string => `Rollout plan of ${build}`;
export const hasPlan = 'This build has a rollout plan. Delete that plan before you set another one.';
export const viewPlan = 'View plan';
export const verb = 'Set plan';
export const wasSet = (build: string): string => `The plan of ${build} is set.`;
export const startsNow = (percentage: number): string =>
  `The plan starts immediately: the rollout changes to ${percentage}% of devices, even if it is higher now.`;
export const startsLater =
  'The build keeps its rollout until the plan starts. The plan then sets it to the percentage of the first step.';
export const template = 'Template';
export const noTemplate = 'None';
export const stepsHelp =
  'Each step offers the build to more devices. The next one starts when the time is over, enough devices have reported a result, and few of them failed.';
export const step = (number: number): string => `Step ${number}`;
export const percentage = 'Percentage';
export const lasts = 'Lasts at least';
export const unit = 'Unit';
export const units = { 1: 'minutes', 60: 'hours', 1440: 'days' } as const;
export const devices = 'Devices';
export const addStep = 'Add a step';
export const removeStep = 'Remove step';
export const removeStepNumber = (number: number): string => `Remove step ${number}`;
export const devicesHelp = 'Devices: how many must have reported a result before the next step.';
export const thresholds = 'Thresholds, webhook gate, start and time windows';
export const threshold = 'Failure limit (%)';
export const thresholdHelp =
  'Share of devices whose installation failed or was rolled back. The limit is 1.5 times the failure rate of the previous build, if that is more.';
export const silence = 'Highest share without a report (%)';
export const silenceHelp =
  'Share of the devices that downloaded the build and did not report in time how the installation ended.';
export const silenceAfter = 'Time to report (minutes)';
export const silenceAfterHelp = 'Counted from the download. 1,440 minutes are 1 day.';
export const webhook = 'Webhook gate (optional)';
export const webhookExample = 'https://gate.example.com/';
export const webhookHelp =
  'A service that must answer “pass” before a step ends, and that can stop the plan. Everyone who can read the plan sees the address.';
export const secretTitle = 'Secret of the webhook gates';
export const theSecret = 'the secret';
export const secretNote = 'Your service verifies requests with it. All plans of this app use the same secret.';
export const start = 'Start (optional)';
export const startHelp = 'In your time zone. The plan does not enter its first step before this time.';
export const windowsLabel = 'When steps can start';
export const windowsHelp = 'The plan enters steps only in these time windows. Without one, it enters them at any time.';
export const addWindow = 'Add a time window';
export const windowNumber = (number: number): string => `Time window ${number}`;
export const removeWindow = 'Remove window';
export const removeWindowNumber = (number: number): string => `Remove window ${number}`;
export const days = 'Days';
export const from = 'From';
export const to = 'To';
export const toHelp = '24:00 is the end of the day.';
export const zone = 'Time zone of the time windows';
export const zoneHelp = 'For example Europe/Berlin.';
export const accepted = 'The plan is set.';
export const close = 'Close';
// Messages of the API that are written for scripts.
export const longestStep = 'Enter a whole number. A step lasts 30 days at most.';
export const wholeDevices = 'Enter a whole number of devices.';
export const wholePercentage = 'Enter a whole number from 1 to 100.';
export const threshold90 = 'Enter a number from 0.1 to 90.';
export const wholeMinutes = 'Enter a whole number of minutes, 43,200 (30 days) at most.';
export const timeOfDay = 'Enter a time of day, for example 09:00.';
export const someDay = 'Choose at least one day.';
export const endsBefore =
  '“To” must be later than “From”. For a window that passes midnight, add two: to 24:00, and from 00:00.';
export const unknownZone = 'Enter the name of a time zone, for example Europe/Berlin.';

// The signs in lists, and the banner of the overview.
export const sign: Readonly<Record<Status, string>> = {
  running: 'Plan running',
  held: 'Plan held',
  completed: 'Plan completed',
  failed: 'Plan failed',
  aborted: 'Plan ended',
};
export const stoppedPlans = 'Rollout plans that need attention';
export const stopped = (count: number): string =>
  counted(count, 'rollout plan needs attention', 'rollout plans need attention');
type Stopped = Omit<OpenPlan, 'build_id' | 'channel'> & { readonly channel: Channel };
/** For example `plan held at 25% of devices. 19.8% of 101 devices failed (almost certainly at least 5.2%); the limit is 2%.` */
export const stoppedWords = ({ status, because, percentage, reasons }: Stopped): string => {
  const why =
    because === 'manual' || reasons.length === 0 ? (because !== null && whyHeld[because]) || '' : reasons.join(' ');
  return `plan ${status} ${at(percentage)}${status === 'failed' ? ', and the build is stopped' : ''}. ${why}`;
};
export const stoppedSign = (plan: Stopped): string =>
  `${nameOf(plan)}: plan ${plan.status}${plan.percentage === null ? '' : ` at ${plan.percentage}%`}`;
export const more = (count: number): string => `and ${count.toLocaleString()} more`;
