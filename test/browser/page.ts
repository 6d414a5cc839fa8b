import { createErrorTracking } from '../../libs/error-tracking/index.js';

declare global {
  interface Window {
    createErrorTracking: typeof createErrorTracking;
    tracking: ReturnType<typeof createErrorTracking>;
  }
}

window.createErrorTracking = createErrorTracking;
