import type { Projection } from '@sluice/projections';
import { history } from './builds/builds.history';
import { buildsProjection } from './builds/builds.projection';
import { jobsProjection } from './jobs/jobs.projection';
import { plansProjection } from './plans/plans.projection';

/** Every projection that this service runs. */
export const projections: readonly Projection[] = [
  buildsProjection,
  jobsProjection,
  plansProjection,
  history.projection,
];
