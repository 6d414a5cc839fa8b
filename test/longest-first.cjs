const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take more than two minutes on two cores. Started last, one of them would leave the other cores idle. */
const LONG =
  /(outages|listings|previews|plans|kills)\.(services\.)?faults|(executable|plans|fuzz)\.slow|app-removal|insight\.console|listings-ads\.console|documentation\.console|release\.deployed/;

/** A fresh clone has no times of an earlier run, by which Jest would begin with the files that take longest. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => LONG.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
