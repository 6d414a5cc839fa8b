import type { Projection } from '@sluice/document-store';
import { history } from './builds.history';
import { buildsProjection } from './builds.projection';
import { jobsProjection } from './jobs.projection';

/** Every projection that this service runs. */
export const projections: readonly Projection[] = [buildsProjection, jobsProjection, history.projection];
