import type { Projection } from '@sluice/projections';
import { mappingsProjection } from './runs/mappings.projection';
import { merchantSettingsProjection } from './settings/merchant-settings.projection';
import { syncLogsProjection } from './runs/sync-logs.projection';

export const projections: readonly Projection[] = [merchantSettingsProjection, mappingsProjection, syncLogsProjection];
