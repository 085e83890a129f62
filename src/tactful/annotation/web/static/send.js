// On the last pages: send waiting answers in the background.

import { Queue } from './queue.js';
import { Shelf } from './storage.js';

const { project, person, csrf } = document.querySelector('script[data-person]').dataset;
new Queue(new Shelf(project, person), csrf, () => {}).send();
