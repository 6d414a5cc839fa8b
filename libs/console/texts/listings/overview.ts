/** The texts of the listings module's overview. */

export const loading = 'the overview';
export const offers = 'Offers';
export const inTotal = 'in total';
export const offersHelp = 'One for each product or variation.';
export const nothingSynced = 'Nothing synced yet';
export const firstSync =
  'Check the feed first. It shows which products would be listed, and why others would not. Then start the first sync. After that, a sync starts regularly, at the interval in the settings.';
export const checkFeed = 'Check the feed';
export const toSync = 'Go to the sync';
