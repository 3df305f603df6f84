/** It says 500 where the caller's own input is at fault. Repeating such a request helps nobody. */
export const inputsFault = {
  begins: '500 directly, 400 through us: ',
  why: 'the server says 500 of an input that cannot be: here that is 400, which no client repeats',
};

/** A caller asks for a model of the gateway, which has it: whoever wrote its name there is wrong. */
export const operatorsFault = {
  begins: '404 directly, 502 through us: ',
  why: "the name that the operator's file has for the model is wrong: that is no fault of the caller, who asked for one that there is",
};
