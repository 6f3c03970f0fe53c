// Stands in for react-style-singleton (see vite.config.ts): same shape, writes no <style> element.
export const styleHookSingleton = () => () => undefined;
export const styleSingleton = () => () => null;
export const stylesheetSingleton = () => ({ add() {}, remove() {} });
