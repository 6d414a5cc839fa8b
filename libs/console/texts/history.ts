/** The texts of the screens “History” and “Activity”. */
import { counted } from './shared';
import { sluice } from './timeline';

export const title = 'History';
export const loading = 'the history';
export const noEntries = 'No entries yet';
export const noMatch = 'No matching entries';
export const noMatchHelp = 'Choose other filters or a longer period.';
export const entries = (total: number): string => `${counted(total, 'entry', 'entries')}, newest first`;

export const activity = 'Activity';
export const activityLead = 'Who changed any of your apps, what and when. New entries appear by themselves.';
export const newestFirst = 'Newest first';
export const loadingActivity = 'the activity';
export const app = 'App';
export const allApps = 'All apps';
export const leftOut = (count: number): string =>
  `${counted(count, 'older app is', 'older apps are')} left out. Choose an app to see its history.`;
export const pages = 'Pages';
export const newest = 'Newest';
export const older = 'Older';

export const event = 'Event';
export const anyEvent = 'All events';
export const who = 'Who';
export const everyone = 'Everyone';
export const you = (owner: string): string => `${owner} (you)`;
export const token = (name: string): string => `Token “${name}”`;
export const worker = sluice('worker');
export const buildNumber = 'Build number';
export const from = 'From';
export const to = 'To';
export const show = 'Show';

export const earlierBuilds = 'Builds at a point in time';
export const time = 'Time';
export const timeHelp = 'Shows the builds that each channel had at that time, including builds deleted since.';
export const showBuilds = 'Show builds';
export const loadingBuilds = 'the builds at that time';
export const buildsAt = (total: number, at: string): string =>
  `${counted(total, 'build', 'builds')} at ${at}, newest first.`;
export const buildsLabel = 'Builds at that time';
export const version = 'Version';
export const channel = 'Channel';
export const state = 'State';
