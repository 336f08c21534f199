//! Components: statecharts, compositions and adapters.

use super::parse::{Parse, Parser, unsupported};
use super::token::Tok;
use super::tree::{
    Adapter, Annotation, Binding, Body, Channel, ChartDecl, Component, Composite, EventRef, Kind,
    Name, Node, NodeKind, Part, Port, PortRef, QueueDecl, Region, StateDecl, Transition,
};

impl Parser<'_> {
    /// `@NAME = VALUE` before a component; comments `@("…")` are skipped.
    pub fn annotations(&mut self) -> Parse<Vec<Annotation>> {
        let mut all = Vec::new();
        while self.is_sign("@") {
            self.advance();
            if self.eat("(") {
                self.skip_to_bracket()?;
                continue;
            }
            let name = self.name("the name of an annotation")?;
            let value = if self.eat("=") {
                Some(self.name("the value of the annotation")?)
            } else {
                None
            };
            all.push(Annotation { name, value });
        }
        Ok(all)
    }

    fn skip_to_bracket(&mut self) -> Parse<()> {
        while !self.eat(")") {
            if self.tok() == Tok::End {
                return Err(self.unexpected("`)`"));
            }
            self.advance();
        }
        Ok(())
    }

    pub fn component(&mut self, notes: Vec<Annotation>) -> Parse<Component> {
        let word = self.word();
        self.advance();
        let name = self.name("the name of a component")?;
        let params = self.params()?;
        let wrapped = if matches!(word, "adapter" | "asynchronous-adapter" | "wrapper") {
            self.expect_word("of")?;
            self.expect_word("component")?;
            Some(self.part()?)
        } else {
            None
        };
        let ports = self.ports()?;
        self.expect("{")?;
        let body = match (word, wrapped) {
            ("statechart", _) => Body::Chart(Box::new(self.chart()?)),
            (_, Some(part)) => self.adapter(part)?,
            ("sync", _) => self.composite(Kind::Sync)?,
            ("cascade", _) => self.composite(Kind::Cascade)?,
            ("async", _) => self.composite(Kind::Async)?,
            _ => self.composite(Kind::ScheduledAsync)?,
        };
        Ok(Component {
            name,
            params,
            ports,
            notes,
            body,
        })
    }

    fn ports(&mut self) -> Parse<Vec<Port>> {
        let mut all = Vec::new();
        if !self.eat("[") {
            return Ok(all);
        }
        while !self.eat("]") {
            self.eat(",");
            self.expect_word("port")?;
            let name = self.name("the name of a port")?;
            self.expect(":")?;
            let provides = match self.word() {
                "provides" => true,
                "requires" => false,
                _ => return Err(self.unexpected("`provides` or `requires`")),
            };
            self.advance();
            let interface = self.name("the name of an interface")?;
            all.push(Port {
                name,
                provides,
                interface,
            });
        }
        Ok(all)
    }

    fn chart(&mut self) -> Parse<ChartDecl> {
        let mut chart = ChartDecl::default();
        loop {
            if self.eat("}") {
                return Ok(chart);
            }
            let mut id = None;
            while self.eat("@") {
                self.expect("(")?;
                if matches!(self.tok(), Tok::Word | Tok::Name) {
                    id = Some(self.name("a name")?.text);
                }
                self.skip_to_bracket()?;
            }
            match (self.tok(), self.word()) {
                (Tok::Word, "var") => chart.vars.push(self.variable()?),
                (Tok::Word, "timeout") => {
                    self.advance();
                    chart.timeouts.push(self.name("the name of a timeout")?);
                }
                (Tok::Word, "region") => chart.regions.push(self.region()?),
                (Tok::Word, "transition") => chart.transitions.push(self.transition(id)?),
                (Tok::Word, "procedure" | "function" | "lambda") => {
                    chart.functions.push(self.function()?);
                }
                (Tok::Word, "invariant") => {
                    return Err(unsupported("`invariant` of a statechart", self.here()));
                }
                _ => {
                    let wanted = "a variable, timeout, region, transition, function or `}`";
                    return Err(self.unexpected(wanted));
                }
            }
        }
    }

    fn region(&mut self) -> Parse<Region> {
        self.nested(|parser| {
            parser.advance();
            let name = parser.name("the name of a region")?;
            parser.expect("{")?;
            let mut nodes = Vec::new();
            while !parser.eat("}") {
                nodes.push(parser.node()?);
            }
            Ok(Region { name, nodes })
        })
    }

    fn node(&mut self) -> Parse<Node> {
        let word = self.word();
        let kind = match word {
            "state" => NodeKind::State(StateDecl::default()),
            "initial" => NodeKind::Initial,
            "shallow" => NodeKind::ShallowHistory,
            "deep" => NodeKind::DeepHistory,
            "choice" => NodeKind::Choice,
            "merge" => NodeKind::Merge,
            "fork" => NodeKind::Fork,
            "join" => NodeKind::Join,
            _ => {
                return Err(
                    self.unexpected("a state, an entry node, a choice, merge, fork, join or `}`")
                );
            }
        };
        self.advance();
        if matches!(word, "shallow" | "deep") {
            self.expect_word("history")?;
        }
        let name = self.name("a name")?;
        let kind = match kind {
            NodeKind::State(_) if self.is_sign("{") => NodeKind::State(self.state()?),
            kind => kind,
        };
        Ok(Node { name, kind })
    }

    fn state(&mut self) -> Parse<StateDecl> {
        self.advance();
        let mut state = StateDecl::default();
        loop {
            match (self.tok(), self.word()) {
                (Tok::Sign("}"), _) => {
                    self.advance();
                    return Ok(state);
                }
                (Tok::Word, "entry") => {
                    self.advance();
                    self.expect("/")?;
                    state.entry.extend(self.actions()?);
                }
                (Tok::Word, "exit") => {
                    self.advance();
                    self.expect("/")?;
                    state.exit.extend(self.actions()?);
                }
                (Tok::Word, "region") => state.regions.push(self.region()?),
                (Tok::Word, "invariant") => {
                    return Err(unsupported("`invariant` of a state", self.here()));
                }
                _ => return Err(self.unexpected("`entry /`, `exit /`, a region or `}`")),
            }
        }
    }

    fn transition(&mut self, id: Option<Box<str>>) -> Parse<Transition> {
        let start = self.here();
        self.advance();
        let mut priority = None;
        if self.eat("(") {
            let is_negative = self.eat("-");
            if self.tok() != Tok::Int {
                return Err(self.unexpected("a number"));
            }
            let value = self.int(self.word())?;
            priority = Some(if is_negative { -&value } else { value });
            self.advance();
            self.expect(")")?;
        }
        self.expect_word("from")?;
        let from = self.name("the name of a state")?;
        self.expect_word("to")?;
        let to = self.name("the name of a state")?;
        let before = self.token().start as usize;
        let trigger = if self.eat_word("when") {
            Some(self.trigger()?)
        } else {
            None
        };
        let guard = if self.eat("[") {
            let guard = self.expression()?;
            self.expect("]")?;
            Some(guard)
        } else {
            None
        };
        let end = self.since(start).end as usize;
        let label = self.text.get(before..end).unwrap_or_default();
        let label = label.strip_prefix("when").unwrap_or(label);
        let label: Vec<&str> = label.split_whitespace().collect();
        let actions = if self.eat("/") {
            self.actions()?
        } else {
            Vec::new()
        };
        Ok(Transition {
            id,
            priority,
            from,
            to,
            trigger,
            guard,
            actions,
            label: label.join(" ").into(),
            span: self.since(start),
        })
    }

    fn part(&mut self) -> Parse<Part> {
        let name = self.name("the name of a component")?;
        self.expect(":")?;
        let ty = self.name("the name of its type")?;
        let args = if self.eat("(") {
            self.list(")", Self::expression)?
        } else {
            Vec::new()
        };
        Ok(Part { name, ty, args })
    }

    fn composite(&mut self, kind: Kind) -> Parse<Body> {
        let mut all = Composite {
            kind,
            parts: Vec::new(),
            bindings: Vec::new(),
            channels: Vec::new(),
            execute: None,
            initial_execute: None,
        };
        loop {
            let start = self.here();
            match (self.tok(), self.word()) {
                (Tok::Sign("}"), _) => {
                    self.advance();
                    return Ok(Body::Composite(Box::new(all)));
                }
                (Tok::Word, "component") => {
                    self.advance();
                    all.parts.push(self.part()?);
                }
                (Tok::Word, "bind") => {
                    self.advance();
                    let port = self.name("the name of a port")?;
                    self.expect("->")?;
                    let to = self.port_ref()?;
                    all.bindings.push(Binding { port, to });
                }
                (Tok::Word, "channel") => {
                    self.advance();
                    self.expect("[")?;
                    let from = self.port_ref()?;
                    self.expect("]")?;
                    self.expect("-o)-")?;
                    self.expect("[")?;
                    let to = self.list("]", Self::port_ref)?;
                    let span = self.since(start);
                    all.channels.push(Channel { from, to, span });
                }
                (Tok::Word, "initial") => {
                    self.advance();
                    self.expect_word("execute")?;
                    all.initial_execute = Some(self.names()?);
                }
                (Tok::Word, "execute") => {
                    self.advance();
                    all.execute = Some(self.names()?);
                }
                _ => {
                    return Err(self.unexpected("`component`, `bind`, `channel`, `execute` or `}`"));
                }
            }
        }
    }

    fn names(&mut self) -> Parse<Vec<Name>> {
        let mut all = vec![self.name("the name of a component")?];
        while self.eat(",") {
            all.push(self.name("the name of a component")?);
        }
        Ok(all)
    }

    fn port_ref(&mut self) -> Parse<PortRef> {
        let part = self.name("the name of a component")?;
        self.expect(".")?;
        let port = self.name("the name of a port")?;
        Ok(PortRef { part, port })
    }

    /// `when any / run` and `queue q(priority = 1, capacity = 4) { P.any }`, in any order.
    fn adapter(&mut self, part: Part) -> Parse<Body> {
        let (mut runs, mut queues) = (Vec::new(), Vec::new());
        loop {
            match (self.tok(), self.word()) {
                (Tok::Sign("}"), _) => {
                    self.advance();
                    break;
                }
                (Tok::Word, "when") => {
                    self.advance();
                    runs.push(self.control_trigger()?);
                    self.expect("/")?;
                    if !self.is_word("run") {
                        let what = format!("`{}` of an adapter", self.word());
                        return Err(unsupported(&what, self.here()));
                    }
                    self.advance();
                }
                (Tok::Word, "queue") => queues.push(self.queue()?),
                (Tok::Word, "clock") => {
                    return Err(unsupported("a clock of an adapter", self.here()));
                }
                _ => return Err(self.unexpected("`when`, `queue` or `}`")),
            }
        }
        Ok(Body::Adapter(Box::new(Adapter { part, runs, queues })))
    }

    fn control_trigger(&mut self) -> Parse<Option<EventRef>> {
        if self.eat_word("any") {
            return Ok(None);
        }
        if !matches!(self.ahead(1), (Tok::Sign("."), _)) {
            let what = format!("`{}` as what makes an adapter run", self.word());
            return Err(unsupported(&what, self.here()));
        }
        self.event_ref().map(Some)
    }

    fn event_ref(&mut self) -> Parse<EventRef> {
        let port = self.name("the name of a port")?;
        self.expect(".")?;
        let event = if self.eat_word("any") {
            None
        } else {
            Some(self.name("the name of an event, or `any`")?)
        };
        Ok(EventRef { port, event })
    }

    fn queue(&mut self) -> Parse<QueueDecl> {
        self.advance();
        let name = self.name("the name of a queue")?;
        self.expect("(")?;
        self.expect_word("priority")?;
        self.expect("=")?;
        if self.tok() != Tok::Int {
            return Err(self.unexpected("a number"));
        }
        let priority = self.int(self.word())?;
        self.advance();
        self.expect(",")?;
        self.expect_word("capacity")?;
        self.expect("=")?;
        let capacity = self.expression()?;
        let mut drops_oldest = false;
        if self.eat(",") {
            self.expect_word("discard")?;
            self.expect("=")?;
            drops_oldest = match self.word() {
                "oldest" => true,
                "incoming" => false,
                _ => return Err(self.unexpected("`oldest` or `incoming`")),
            };
            self.advance();
        }
        self.expect(")")?;
        self.expect("{")?;
        let events = self.list("}", Self::event_ref)?;
        Ok(QueueDecl {
            name,
            priority,
            capacity,
            drops_oldest,
            events,
        })
    }
}
