// The pages that draw timelines, as one file that the browser gets when the first of
// them is shown.
export { TimelinePage } from "../timeline/timeline_page";
export { WhatIfPage } from "../whatif/whatif_page";
