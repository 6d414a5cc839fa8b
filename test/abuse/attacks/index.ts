import type { Attack } from '../target';
import { cacheChurn } from './cache-churn';
import { deviceReports } from './device-reports';
import { endlessForms } from './endless-forms';
import { historyReads } from './history-reads';
import { hostileArchives } from './hostile-archives';
import { ipv6Rotation } from './ipv6-rotation';
import { loginBodies } from './login-bodies';
import { metricsScrapes } from './metrics-scrapes';
import { pipelinedResets } from './pipelined-resets';
import { signingKeyRotations, unlimitedRotations } from './signing-key-rotations';
import { slowAndBrokenRequests } from './slow-and-broken-requests';
import { slowReaders } from './slow-readers';
import { statisticsTraps } from './statistics-traps';
import { targetingChurn } from './targeting-churn';
import { tenantGrowth } from './tenant-growth';
import { unauthorisedFloods } from './unauthorised-floods';
import { validationFloods } from './validation-floods';

/** Those that leave the most behind come last. */
export const ATTACKS: readonly Attack[] = [
  loginBodies,
  signingKeyRotations,
  validationFloods,
  unauthorisedFloods,
  ipv6Rotation,
  cacheChurn,
  targetingChurn,
  metricsScrapes,
  historyReads,
  slowAndBrokenRequests,
  endlessForms,
  pipelinedResets,
  slowReaders,
  statisticsTraps,
  tenantGrowth,
  hostileArchives,
  deviceReports,
  unlimitedRotations,
];
