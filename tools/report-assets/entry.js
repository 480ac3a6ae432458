// What the page's own script needs of Vega. Expressions are interpreted: the page's content policy forbids eval().
import embed from "vega-embed";
import { expressionInterpreter } from "vega-interpreter";

globalThis.asifVega = { embed, expressionInterpreter };
